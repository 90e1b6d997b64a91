import { issuePath } from './links'
import { oneOf, type Search, textOf, writeSearch } from './search'

/** Texts of an issue that are edited in place. */
export const ISSUE_TEXTS = ['title', 'description', 'design', 'acceptanceCriteria', 'notes'] as const
export type IssueText = (typeof ISSUE_TEXTS)[number]

export interface IssuePageSearch {
  /** Folder of the project that has it; needed where several have an issue of this id. */
  project?: string
  /** The text that is being edited. */
  edit?: IssueText
}

export function parseIssueSearch(search: Search): IssuePageSearch {
  const project = textOf(search.project)
  const edit = oneOf(ISSUE_TEXTS, search.edit)
  return { ...(project !== undefined && { project }), ...(edit !== undefined && { edit }) }
}

export const issuePagePath = (id: string, search: IssuePageSearch): string =>
  issuePath(id) + writeSearch({ project: search.project, edit: search.edit })
