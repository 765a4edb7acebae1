package roster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/loopback"
)

const (
	mostArchive = 256 << 20 // as Claude Code has it
	downloading = 10 * time.Minute
)

// archiveEnds are what names of archives end in.
var archiveEnds = []string{".zip", ".tgz", ".tar.gz", ".tar", ".mcpb"}

// archived is a name without what makes it that of an archive; ok is whether it was one.
func archived(name string) (base string, ok bool) {
	for _, end := range archiveEnds {
		if base, ok = strings.CutSuffix(name, end); ok {
			return base, true
		}
	}
	return name, false
}

// archiveAddress is the address of an archive: https, or http to this machine. What names
// who logs in is refused.
func archiveAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, ext.AsUsage(fmt.Errorf("%s is no address of an archive", ext.Quote(ext.Shorten(text, 200))))
	case u.User != nil:
		return nil, ext.AsUsage(errors.New("the address of an archive holds a login, which would be kept; leave it out"))
	case u.Scheme == "https", u.Scheme == "http" && loopback.Is(u.Hostname()):
		return u, nil
	}
	return nil, ext.AsUsage(fmt.Errorf("an archive is fetched by https, and %s is not", ext.Quote(ext.Shorten(text, 200))))
}

// archiveIdentity is what an address of an archive leads to, as rules compare it.
func archiveIdentity(text string) (string, error) {
	u, err := archiveAddress(text)
	if err != nil {
		return "", err
	}
	p := strings.TrimPrefix(u.Path, "/")
	if !fs.ValidPath(p) || strings.ContainsAny(p, "%\\") {
		return "", ext.AsUsage(fmt.Errorf("%s is no address of an archive: its path means more than one thing", ext.Quote(ext.Shorten(text, 200))))
	}
	host := u.Scheme + "://" + u.Host + "/x"
	s, _, err := git.Parse(host, git.Allow{})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(s.Identity(), "x") + p, nil
}

// download writes an archive to a file. What it should be is checked by who unpacks it.
// allowed is asked about each address that it is sent to.
func download(ctx context.Context, client *http.Client, from, to string, allowed func(address string) error, progress func(git.Progress)) error {
	u, err := archiveAddress(from)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, downloading)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	c := *client
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("it is sent elsewhere too often")
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("it is sent away from https")
		}
		if _, err := archiveAddress(req.URL.String()); err != nil {
			return err
		}
		return allowed(req.URL.String())
	}
	res, err := c.Do(req) //nolint:bodyclose // it is closed below
	if err != nil {
		return fmt.Errorf("download %s: %w", ext.Quote(from), err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	if res.StatusCode != http.StatusOK {
		return ext.AsRefused(fmt.Errorf("download %s: the answer is %s", ext.Quote(from), ext.Escape(res.Status)))
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, &told{from: io.LimitReader(res.Body, mostArchive+1), of: res.ContentLength, tell: progress})
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("download %s: %w", ext.Quote(from), err)
	}
	if n > mostArchive {
		return ext.AsRefused(fmt.Errorf("download %s: it has more than %d MiB", ext.Quote(from), mostArchive>>20))
	}
	return nil
}

// told reads and tells how far it is.
type told struct {
	from io.Reader
	done int64
	of   int64 // less than 0 where it is not known
	tell func(git.Progress)
}

func (t *told) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if t.done += int64(n); t.tell != nil && n > 0 {
		t.tell(git.Progress{Phase: "downloading bytes", Done: int(t.done), Total: int(max(t.of, 0))})
	}
	return n, err
}
