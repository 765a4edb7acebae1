package stack

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// rule is how a value of one place is put onto that of the files below.
type rule struct {
	place string // the keys on the way, with * for any name
	how   how
	key   func(*ext.Doc) string // of unique: what two items of a list have in common that are one
}

// how a value is merged.
type how uint8

const (
	plain    how = iota // mappings key by key, lists one behind the other, else the later value
	replaced            // the later value whole
	pairs               // NAME=VALUE, as a list or a mapping: name by name, also where the later has no value
	unique              // lists: an item that has the key of one below takes its place
	names               // a list of names, or a mapping: name by name
	build               // a text is the context
	logging             // merged where the driver is one, else replaced
)

// rules are those of the Compose specification, and where that says less than its
// reference program does, those of the program. docs/stack.md has them for people.
var rules = []rule{
	{place: "services.*.command", how: replaced},
	{place: "services.*.entrypoint", how: replaced},
	{place: "services.*.healthcheck.test", how: replaced},
	{place: "services.*.ulimits.*", how: replaced},
	{place: "services.*.environment", how: pairs},
	{place: "services.*.labels", how: pairs},
	{place: "services.*.annotations", how: pairs},
	{place: "services.*.sysctls", how: pairs},
	{place: "services.*.deploy.labels", how: pairs},
	{place: "services.*.build.args", how: pairs},
	{place: "services.*.build.labels", how: pairs},
	{place: "services.*.build.additional_contexts", how: pairs},
	{place: "networks.*.labels", how: pairs},
	{place: "volumes.*.labels", how: pairs},
	{place: "configs.*.labels", how: pairs},
	{place: "secrets.*.labels", how: pairs},
	{place: "services.*.ports", how: unique, key: portKey},
	{place: "services.*.volumes", how: unique, key: volumeKey},
	{place: "services.*.devices", how: unique, key: deviceKey},
	{place: "services.*.configs", how: unique, key: grantKey("")},
	{place: "services.*.secrets", how: unique, key: grantKey("/run/secrets")},
	{place: "services.*.env_file", how: unique, key: fileKey},
	{place: "services.*.label_file", how: unique, key: fileKey},
	{place: "services.*.tmpfs", how: unique, key: nameKey},
	{place: "services.*.dns", how: unique, key: nameKey},
	{place: "services.*.dns_opt", how: unique, key: nameKey},
	{place: "services.*.dns_search", how: unique, key: nameKey},
	{place: "services.*.cap_add", how: unique, key: nameKey},
	{place: "services.*.cap_drop", how: unique, key: nameKey},
	{place: "services.*.expose", how: unique, key: nameKey},
	{place: "services.*.links", how: unique, key: nameKey},
	{place: "services.*.profiles", how: unique, key: nameKey},
	{place: "services.*.extra_hosts", how: unique, key: wholeKey},
	{place: "services.*.build.extra_hosts", how: unique, key: wholeKey},
	{place: "services.*.build.tags", how: unique, key: nameKey},
	{place: "services.*.networks.*.aliases", how: unique, key: nameKey},
	{place: "services.*.networks.*.link_local_ips", how: unique, key: nameKey},
	{place: "networks.*.ipam.config", how: unique, key: subnetKey},
	{place: "services.*.depends_on", how: names},
	{place: "services.*.networks", how: names},
	{place: "services.*.models", how: names},
	{place: "services.*.build", how: build},
	{place: "services.*.logging", how: logging},
}

// ruleOf is the rule of a place.
func ruleOf(path []string) rule {
	for _, r := range rules {
		parts := strings.Split(r.place, ".")
		if len(parts) != len(path) {
			continue
		}
		same := true
		for i, p := range parts {
			same = same && (p == "*" || p == path[i])
		}
		if same {
			return r
		}
	}
	return rule{}
}

// nameKey is the name of NAME=VALUE, or the item itself.
func nameKey(d *ext.Doc) string {
	name, _, _ := strings.Cut(d.Text, "=")
	return name
}

func wholeKey(d *ext.Doc) string { return d.Text }

// fileKey is the path of a file, which may stand in a mapping.
func fileKey(d *ext.Doc) string {
	if d.Kind == ext.Map {
		return d.Word("path")
	}
	return d.Text
}

func subnetKey(d *ext.Doc) string { return textAt(d, "subnet") }

// grantKey is where a config or a secret is in the container: below dir by its name, where
// nothing else is said.
func grantKey(dir string) func(*ext.Doc) string {
	return func(d *ext.Doc) string {
		if d.Kind != ext.Map {
			return dir + "/" + d.Text
		}
		if target := textAt(d, "target"); target != "" {
			return target
		}
		return dir + "/" + textAt(d, "source")
	}
}

// portKey is address, published port, port and protocol.
func portKey(d *ext.Doc) string {
	if d.Kind == ext.Map {
		return port(textAt(d, "host_ip"), textAt(d, "published"), textAt(d, "target"), textAt(d, "protocol"))
	}
	rest, protocol, _ := strings.Cut(d.Text, "/")
	at := strings.LastIndexByte(rest, ':')
	if at < 0 {
		return port("", "", rest, protocol)
	}
	rest, target := rest[:at], rest[at+1:]
	if at = strings.LastIndexByte(rest, ':'); at < 0 {
		return port("", rest, target, protocol)
	}
	return port(strings.Trim(rest[:at], "[]"), rest[at+1:], target, protocol)
}

func port(address, published, target, protocol string) string {
	if address == "" {
		address = "0.0.0.0"
	}
	if protocol == "" {
		protocol = "tcp"
	}
	return address + "|" + published + "|" + target + "|" + protocol
}

// volumeKey is where a volume is in the container.
func volumeKey(d *ext.Doc) string {
	if d.Kind == ext.Map {
		return clean(textAt(d, "target"))
	}
	parts := strings.Split(d.Text, ":")
	if len(parts) > 2 && len(parts[0]) == 1 && strings.HasPrefix(parts[1], `\`) { // a drive
		parts = parts[1:]
	}
	if len(parts) == 1 {
		return clean(parts[0])
	}
	return clean(parts[1])
}

// clean is a path without the slash at its end.
func clean(path string) string {
	if len(path) > 1 {
		return strings.TrimRight(path, "/")
	}
	return path
}

// deviceKey is what a device is called in the container.
func deviceKey(d *ext.Doc) string {
	if d.Kind == ext.Map {
		return textAt(d, "target")
	}
	parts := strings.Split(d.Text, ":")
	if len(parts) == 1 {
		return parts[0]
	}
	return parts[1]
}

// textAt is the text of a scalar member, also that of a number.
func textAt(d *ext.Doc, key string) string {
	if v := d.Get(key); v != nil && v.Scalar() {
		return v.Text
	}
	return ""
}
