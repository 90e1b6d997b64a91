import type { RunLaunch } from '../../../domain/harness/harness-run'

/** What a run may do, in the words of the CLI. */
export interface CodexBounds {
  /** `sandboxPolicy` of each turn. */
  sandbox: Readonly<Record<string, unknown>>
  /** `never`: what the sandbox refuses fails. `untrusted`: the CLI asks before each command, change of files and tool of a server. */
  approval: 'never' | 'untrusted'
  /** What is answered by the run itself, unless a rule refuses it; all else is asked for. */
  grants: 'nothing' | 'edits' | 'everything'
}

/** Lodeline's sandbox is around the CLI: it bounds files and network, and within it no other can be made. */
const BOXED = { type: 'externalSandbox', networkAccess: 'enabled' }
const WORKSPACE = { type: 'workspaceWrite', writableRoots: [], networkAccess: false }

/** Whether a task may change nothing: the CLI's own sandbox sees to that, and it can't be made within Lodeline's. */
export const isReadOnly = (mode: RunLaunch['permissionMode']): boolean => mode === 'plan' || mode === 'dontAsk'

/**
 * A task's permission mode as the CLI's sandbox and approvals, never above what the mode means. Rules that refuse hold in every mode that
 * can change anything, as the CLI asks about each call there. Its own `on-request`, where the model decides what to ask, would let rules
 * be passed by: `auto` is the same as `acceptEdits`.
 */
export function boundsOf(mode: RunLaunch['permissionMode'], isBoxed: boolean): CodexBounds {
  const workspace = isBoxed ? BOXED : WORKSPACE
  switch (mode) {
    case 'plan':
    // What a rule of the worker allows is not known here: nothing is changed.
    case 'dontAsk':
      return { sandbox: { type: 'readOnly', networkAccess: false }, approval: 'never', grants: 'nothing' }
    case 'acceptEdits':
    case 'auto':
      return { sandbox: workspace, approval: 'untrusted', grants: 'edits' }
    case 'bypassPermissions':
      return {
        sandbox: isBoxed ? BOXED : { type: 'dangerFullAccess' },
        approval: 'untrusted',
        grants: 'everything',
      }
    default:
      return { sandbox: workspace, approval: 'untrusted', grants: 'nothing' }
  }
}
