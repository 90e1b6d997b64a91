import type { AgentCliFacts } from '../../domain/harness/agent-cli'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import type { LivePiece } from '../../domain/session/live'
import type { AgentLines } from '../../engine/services'
import { defaultHarness, findHarness, harnesses } from '../../harness/registry'

/** Reads lines with the harness of each agent CLI, loaded at first use. Lines of an unknown CLI are shown unchanged. */
export const agentLines: AgentLines = {
  clis: () => harnesses().map(factsOf),
  textOf: async (agent, line) => (await findHarness(agent)?.words.textOf(line)) ?? null,
  contentOf: async (agent, line) => await (findHarness(agent) ?? defaultHarness()).words.contentOf(line),
  async liveOf(agent, output, session) {
    const { livePieces } = (await findHarness(agent)?.run?.()) ?? {}
    if (livePieces === undefined) return []
    const pieces: LivePiece[] = []
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(10, at)
      pieces.push(...livePieces(output.subarray(at, end === -1 ? output.length : end), session))
      at = end === -1 ? output.length : end + 1
    }
    return pieces
  },
  async askingTools(agent) {
    const asked = agent === null ? harnesses() : harnesses().filter(({ name }) => name === agent)
    const tools = await Promise.all(asked.map(({ words }) => words.askingTools()))
    return new Set(tools.flatMap((each) => [...each]))
  },
}

const factsOf = ({ name, title, run, translation }: AgentHarness): AgentCliFacts => ({
  ...{ name, title, canRun: run !== null },
  continuesIn:
    translation === null
      ? []
      : harnesses().flatMap((other) => (other.name !== name && other.takesTranslations ? other.name : [])),
})
