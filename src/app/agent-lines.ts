import type { AgentLines } from '../engine/services'
import { defaultHarness, findHarness, harnesses } from '../harness/registry'

/** The words of each agent CLI's harness, loaded with the first question. Of one that is not known here lines are shown as they are. */
export const agentLines: AgentLines = {
  names: () => harnesses().map(({ name }) => name),
  textOf: async (agent, line) => (await findHarness(agent)?.words.textOf(line)) ?? null,
  contentOf: async (agent, line) => await (findHarness(agent) ?? defaultHarness()).words.contentOf(line),
  async askingTools(agent) {
    const asked = agent === null ? harnesses() : harnesses().filter(({ name }) => name === agent)
    const tools = await Promise.all(asked.map(({ words }) => words.askingTools()))
    return new Set(tools.flatMap((each) => [...each]))
  },
}
