import type { KeySpec } from '../key-spec'
import { isOff, parseFolders } from '../parse-values'

/** When the git-tracked file of issues is written. */
export const ISSUE_FILE_WRITES = ['always', 'sync'] as const
export type IssueFileWrite = (typeof ISSUE_FILE_WRITES)[number]

/** The tracker's settings by key. */
export interface IssueSettings {
  'issueFile.write': IssueFileWrite
  'issues.bd': readonly string[]
}

export const ISSUE_KEYS: { readonly [K in keyof IssueSettings]: KeySpec<IssueSettings[K]> } = {
  'issueFile.write': {
    help: 'when the issue file is written: always = before each command returns, sync = only by lode issue sync',
    isProjectSafe: true,
    isLive: false,
    fallback: () => 'always',
    parse: (value) => {
      const write = ISSUE_FILE_WRITES.find((each) => each === value)
      if (write === undefined) throw new Error(`must be one of ${ISSUE_FILE_WRITES.join(', ')}`)
      return write
    },
  },
  'issues.bd': {
    help: 'project folders whose issues are in a bd database, which lode may read and change by running bd; off = none',
    // bd runs the hooks and reaches the servers that a project's own .beads names: which projects may do so is a person's choice.
    isProjectSafe: false,
    isLive: false,
    fallback: () => [],
    parse: (value, place) =>
      isOff(value) || (Array.isArray(value) && value.length === 0) ? [] : parseFolders(value, place),
  },
}
