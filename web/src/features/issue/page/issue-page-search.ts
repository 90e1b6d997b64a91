import { issuePath } from '../../../lib/links'
import { oneOf, type Search, textOf, writeSearch } from '../../../lib/search'

/** Texts of an issue that can be edited in place. */
export const ISSUE_TEXTS = ['title', 'description', 'design', 'acceptanceCriteria', 'notes'] as const
export type IssueText = (typeof ISSUE_TEXTS)[number]

/** What the page of an issue shows. */
export interface IssuePageSearch {
  /** Folder of its project; needed if several projects have an issue with this ID. */
  project?: string
  /** The text that is being edited. */
  edit?: IssueText
}

/** Parses the search part of the page of an issue. */
export function parseIssueSearch(search: Search): IssuePageSearch {
  const project = textOf(search.project)
  const edit = oneOf(ISSUE_TEXTS, search.edit)
  return { ...(project !== undefined && { project }), ...(edit !== undefined && { edit }) }
}

/** Path of the page of an issue. */
export const issuePagePath = (id: string, search: IssuePageSearch): string =>
  issuePath(id) + writeSearch({ project: search.project, edit: search.edit })
