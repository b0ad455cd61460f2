package proc

// Shopping is a scripted model that keeps a list. Its answers follow from the
// history alone, so that it does not matter how often it was asked before. What
// it does about plums, each test says.
const Shopping = `
- when: {last_user: Start a list, tool_result: write_file}
  times: 0
  reply: [{text: There is a list now.}]
- when: {last_user: Start a list}
  times: 0
  reply:
  - tool: {name: write_file, id: c1, input: {path: list.txt, content: "apples\n"}}
- when: {last_user: Add pears, tool_result: write_file}
  times: 0
  reply: [{text: Pears are on it.}]
- when: {last_user: Add pears}
  times: 0
  reply:
  - tool: {name: write_file, id: c2, input: {path: list.txt, content: "apples\npears\n"}}
- when: {last_user: Add plums, tool_result: write_file}
  times: 0
  reply: [{text: Plums it is.}]
`
