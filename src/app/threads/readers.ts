import type { Harness } from '../../domain/harness/harness'
import type { AgentName } from '../../domain/ids'
import { findHarness, harnesses } from '../../harness/registry'

/** What reads each agent CLI's files, loaded when one is first met: recording a file needs one of them, a rebuild all. */
export class Readers {
  readonly #loaded = new Map<AgentName, Harness>()

  async load(agent: AgentName): Promise<void> {
    if (this.#loaded.has(agent)) return
    const harness = findHarness(agent)
    if (harness !== undefined) this.#loaded.set(agent, await harness.read())
  }

  async loadAll(): Promise<void> {
    for (const { name } of harnesses()) await this.load(name)
  }

  /** The bytes of an agent CLI that this program does not know are kept, and nothing is taken from them. */
  of(agent: AgentName): Harness {
    return this.#loaded.get(agent) ?? unread(agent)
  }
}

const unread = (agent: AgentName): Harness => ({
  agent,
  classify: () => null,
  parseLines: (bytes) => ({
    observations: [{ kind: 'kind', name: 'agent/unknown', isKnown: false }],
    malformed: [],
    head: null,
    consumed: bytes.lastIndexOf(10) + 1,
    sessionId: null,
  }),
  parseDocument: () => [],
  parseHook: () => null,
})
