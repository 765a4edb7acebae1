package rig

import "slices"

// Samples are the rounds of each target, by label, and in a round the figures by
// metric. Rounds of one index were made side by side.
type Samples map[string][]map[string]float64

// Median is the one of all rounds that have the metric; false when none has.
func (s Samples) Median(label, metric string) (float64, bool) {
	var all []float64
	for _, round := range s[label] {
		if v, ok := round[metric]; ok {
			all = append(all, v)
		}
	}
	return Median(all), len(all) > 0
}

// Sum adds up a metric over all rounds.
func (s Samples) Sum(label, metric string) float64 {
	sum := 0.0
	for _, round := range s[label] {
		sum += round[metric]
	}
	return sum
}

// Ratio is the median of the ratios within each round, which what else the
// machine did in that round moves least; false when no round has both.
func (s Samples) Ratio(label, base, metric string) (float64, bool) {
	var all []float64
	for i, round := range s[label] {
		if i < len(s[base]) && s[base][i][metric] > 0 && round[metric] > 0 {
			all = append(all, round[metric]/s[base][i][metric])
		}
	}
	return Median(all), len(all) > 0
}

// Median is the middle of all values, 0 of none.
func Median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[n/2] + s[(n-1)/2]) / 2
}
