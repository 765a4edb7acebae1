package config

// markets are the marketplaces in the order in which the files list them. One
// that is refused is among them.
func (s *settling) markets(c *Config) []Market {
	var all []Market
	for _, m := range s.order("markets") {
		one := Market{Name: m.name, Origin: m.origin, Refused: s.faulty(m.key)}
		if v, ok := c.values[join(m.key, "path")]; ok {
			one.Path, one.Dir, one.Origin = v.Text, resolve(v.dir, v.Text), v.Origin
			one.Own = v.Layer == User || v.Layer == Managed
		} else if !one.Refused {
			one.Refused = true
			s.findings.Add(MarketPath.At(m.origin, "marketplace %s has no path", m.name).
				With("Write path = \"./…\" under [%s], or remove the table.", m.key))
		}
		all = append(all, one)
	}
	return all
}
