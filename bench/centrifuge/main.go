package main

import _ "github.com/centrifugal/centrifuge"

func main() {}
