package term

import (
	"slices"
	"strings"
)

// Suggest gives the words that somebody may have meant, the most likely first.
func Suggest(word string, known []string) []string {
	var list []string
	for _, k := range known {
		begins := len(word) > 1 && strings.HasPrefix(k, word)
		if begins || distance(k, word) <= 1+min(1, len(word)/6) {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return distance(a, word) - distance(b, word) })
	return list
}

// distance is how many letters apart two words are; two neighbours that changed
// places count as one.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1) // of the letters of a up to the last one
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
