import type { IssueId, TrackerKey } from '../../domain/ids'

export interface Linked {
  tracker: TrackerKey
  issueId: IssueId
  /** It was not linked before. */
  isNew: boolean
  notices: string[]
}

export interface Promoted {
  tracker: TrackerKey
  issueId: IssueId
  parentId: IssueId | null
  isNew: boolean
  notices: string[]
}
