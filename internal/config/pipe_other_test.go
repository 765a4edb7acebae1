//go:build !unix

package config

import "errors"

func pipe(string) error { return errors.New("no named pipes on this system") }
