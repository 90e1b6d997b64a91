import { existsSync } from 'node:fs'
import { harnesses } from '../../harness/registry'

/** An agent CLI whose tasks never have a sandbox. */
export interface UnboxedAgent {
  /** The CLI, as people call it. */
  agent: string
  why: string
}

/** Agent CLIs of this person whose tasks have no sandbox, whatever the settings say. */
export async function unboxedAgents(env: Readonly<Record<string, string | undefined>>): Promise<UnboxedAgent[]> {
  const used = harnesses().filter((harness) => harness.run !== null && existsSync(harness.root(env)))
  const found = await Promise.all(
    used.map(async ({ title, run }) => ({ agent: title, why: (await run?.())?.noSandbox ?? null })),
  )
  return found.flatMap(({ agent, why }) => (why === null ? [] : [{ agent, why }]))
}
