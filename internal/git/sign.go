package git

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// signing is how the commit is signed: settings, and the option of git commit-tree; "" is
// not at all. Whether, and with which key, the repository may say as well; what is then run
// the person's own configuration says alone.
func (m *making) signing(ctx context.Context) (settings []string, option string, err error) {
	l, err := m.git.lent()
	if err != nil || m.Unsigned {
		return nil, "", err
	}
	own := l.signing
	wanted, set, err := m.asked(ctx, "config", "--type=bool", "--get", "commit.gpgsign")
	if err != nil {
		return nil, "", err
	}
	if !set {
		wanted = "false"
		if value, given := own["commit.gpgsign"]; given && !slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(value)) {
			wanted = "true"
		}
	}
	if wanted != "true" {
		return nil, "", nil
	}
	key, _, err := m.asked(ctx, "config", "--get", "user.signingkey")
	if err != nil {
		return nil, "", err
	}
	format := cmp.Or(own["gpg.format"], "openpgp")
	if key = cmp.Or(key, own["user.signingkey"]); key == "" && format == "openpgp" {
		key = own["user.email"] // whose key git would look for, were it the person's commit
	}
	if key == "" && own["gpg.ssh.defaultkeycommand"] == "" {
		return nil, "", &Error{Kind: Unsigned, Doing: m.doing, Detail: "it is not said with which key", Advice: "set user.signingkey in your configuration of git, or leave the signature out"}
	}
	for _, kv := range [][2]string{
		{"gpg.format", format},
		{"gpg.program", cmp.Or(own["gpg.openpgp.program"], own["gpg.program"], "gpg")},
		{"gpg.openpgp.program", cmp.Or(own["gpg.openpgp.program"], own["gpg.program"], "gpg")},
		{"gpg.x509.program", cmp.Or(own["gpg.x509.program"], "gpgsm")},
		{"gpg.ssh.program", cmp.Or(own["gpg.ssh.program"], "ssh-keygen")},
		{"gpg.ssh.defaultKeyCommand", own["gpg.ssh.defaultkeycommand"]},
	} {
		if kv[1] == "" {
			continue
		}
		settings = append(settings, "-c", kv[0]+"="+kv[1])
	}
	return settings, "-S" + key, nil
}
