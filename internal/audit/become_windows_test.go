package audit

import "errors"

func become(string) error { return errors.New("there are no limits to set here") }
