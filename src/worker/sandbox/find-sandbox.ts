import type { SandboxMode } from '../../config/keys/worker-keys'
import { type Bubblewrap, findBubblewrap } from './bubblewrap'
import { findSeatbelt, SANDBOX_EXEC, SEATBELT_DOUBT, type Seatbelt } from './seatbelt/seatbelt'

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

/** What a worker uses of it in this mode. One that was never tried is for those who ask for it: it could fail every task. */
export function usedSandbox(found: FoundSandbox, mode: SandboxMode): FoundSandbox {
  if ('why' in found || found.kind === 'bubblewrap' || mode === 'require') return found
  return { why: `that of macOS, ${SEATBELT_DOUBT}, is used only where worker.sandbox is "require"` }
}
