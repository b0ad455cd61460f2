// Package toolchain finds the programs that a person builds projects with, and
// says what a sandboxed command must see to use them: directories to read,
// variables to set, the PATH.
//
// It looks at files and runs nothing: PATH may name directories that an agent
// can write to. For the same reason it follows nothing that stands in the
// workspace, except the virtual environment, whose interpreter must look like
// one. What it names is a leaf, never the directory around it, because that is
// where tools keep credentials.
package toolchain
