import type { AgentLines } from '../engine/services'
import { defaultHarness, findHarness, harnesses } from '../harness/registry'

/** Reads lines with the harness of each agent CLI, loaded at first use. Lines of an unknown CLI are shown unchanged. */
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
