import type * as z from 'zod/mini'
import { ISSUE_LIMITS, ISSUE_MINUTES } from '../../domain/issue/issue'
import {
  type AnyIssueField,
  ISSUE_FIELDS,
  type IssueFieldChanges,
  issueFieldNames,
  type NewIssueFields,
} from '../../domain/issue/issue-fields'
import type { Fields, OptionalFields } from './operation'

/** Schemas of the fields that `domain/issue/issue-fields.ts` declares. */

/** Those of a new issue. */
export const issueFields = (f: Fields): OptionalFields<NewIssueFields> =>
  Object.fromEntries(issueFieldNames.map((name) => [name, f.optional(schemaOf(f, ISSUE_FIELDS[name]))])) as never

/** Those of a change. `null` clears; a text is cleared by an empty one. */
export const issueFieldChanges = (f: Fields): OptionalFields<IssueFieldChanges> =>
  Object.fromEntries(
    issueFieldNames.map((name) => {
      const field: AnyIssueField = ISSUE_FIELDS[name]
      return [name, f.optional(field.kind === 'text' ? schemaOf(f, field) : f.nullable(schemaOf(f, field)))]
    }),
  ) as never

function schemaOf(f: Fields, { kind }: AnyIssueField): z.ZodMiniType {
  switch (kind) {
    case 'text':
      return f.words(ISSUE_LIMITS.text)
    case 'name':
      return f.words(ISSUE_LIMITS.name)
    case 'minutes':
      return f.number('must be a number').check(f.minimum(ISSUE_MINUTES.least), f.maximum(ISSUE_MINUTES.most))
    case 'time':
      return f.time()
  }
}
