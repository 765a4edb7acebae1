// Package layers holds one test: that imports point one way.
package layers
