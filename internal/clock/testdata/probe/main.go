// Probe prints the time of day and what elapsed, in ms, for each line that it reads.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/clew-run/clew/internal/clock"
)

func main() {
	c := clock.System()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(c.Now().UnixMilli(), c.Elapsed().Milliseconds())
	}
}
