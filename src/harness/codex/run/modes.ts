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

const WORKSPACE = { type: 'workspaceWrite', writableRoots: [], networkAccess: false }

/**
 * A task's permission mode as the CLI's sandbox and approvals, never above what the mode means. Rules that refuse hold in every mode that
 * can change anything, as the CLI asks about each call there. Its own `on-request`, where the model decides what to ask, would let rules
 * be passed by: `auto` is the same as `acceptEdits`.
 */
export function boundsOf(mode: RunLaunch['permissionMode']): CodexBounds {
  switch (mode) {
    case 'plan':
    // What a rule of the worker allows is not known here: nothing is changed.
    case 'dontAsk':
      return { sandbox: { type: 'readOnly', networkAccess: false }, approval: 'never', grants: 'nothing' }
    case 'acceptEdits':
    case 'auto':
      return { sandbox: WORKSPACE, approval: 'untrusted', grants: 'edits' }
    case 'bypassPermissions':
      return { sandbox: { type: 'dangerFullAccess' }, approval: 'untrusted', grants: 'everything' }
    default:
      return { sandbox: WORKSPACE, approval: 'untrusted', grants: 'nothing' }
  }
}
