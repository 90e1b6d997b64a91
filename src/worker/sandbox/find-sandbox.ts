import { type Bubblewrap, findBubblewrap } from './bubblewrap'
import { findSeatbelt, SANDBOX_EXEC, type Seatbelt } from './seatbelt/seatbelt'

/** What the choice of a sandbox depends on. */
export interface Machine {
  platform: NodeJS.Platform
  /** Where macOS has the program that makes sandboxes. */
  sandboxExec: string
}

/** What makes sandboxes on a machine, or why there are none. */
export type FoundSandbox = Bubblewrap | Seatbelt

const THIS_MACHINE: Machine = { platform: process.platform, sandboxExec: SANDBOX_EXEC }

/** Looks for what makes sandboxes and tries it. Never fails. */
export async function findSandbox(
  env: Readonly<Record<string, string | undefined>>,
  { platform, sandboxExec }: Machine = THIS_MACHINE,
): Promise<FoundSandbox> {
  if (platform === 'linux') return findBubblewrap(env)
  if (platform === 'darwin') return findSeatbelt(sandboxExec, env)
  return { why: `there is none for ${platform}` }
}
