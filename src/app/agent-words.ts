import type { AgentWords } from '../engine/services'

/** Claude Code's harness, loaded with the first question. */
export const agentWords: AgentWords = {
  async textOf(_agent, line) {
    const { wholeText } = await import('../harness/claude-code/whole-text')
    return wholeText(line)
  },
  async contentOf(_agent, line) {
    const { readLineContent } = await import('../harness/claude-code/line-content')
    return readLineContent(line)
  },
  async askingTools() {
    const { ASKING_TOOLS } = await import('../harness/claude-code/tools')
    return ASKING_TOOLS
  },
}
