import type { KeySpec } from './keys'

/** When the git-tracked file of issues is written. */
export const ISSUE_FILE_WRITES = ['always', 'sync'] as const
export type IssueFileWrite = (typeof ISSUE_FILE_WRITES)[number]

/** The tracker's settings by key. */
export interface IssueSettings {
  'issueFile.write': IssueFileWrite
}

export const ISSUE_KEYS: { readonly [K in keyof IssueSettings]: KeySpec<IssueSettings[K]> } = {
  'issueFile.write': {
    help: 'when the file of issues is written: always = before each command ends, sync = only by lode issue sync',
    isProjectSafe: true,
    isLive: false,
    fallback: () => 'always',
    parse: (value) => {
      const write = ISSUE_FILE_WRITES.find((each) => each === value)
      if (write === undefined) throw new Error(`must be one of ${ISSUE_FILE_WRITES.join(', ')}`)
      return write
    },
  },
}
