/**
 * The fields of an issue that somebody sets and that need nothing else of the tracker, each declared once. The issue's type, requests, the
 * engine's checks, the options of commands, the commands of `bd` and the keys of the issue file derive from these declarations.
 */

/** `due_at` of the file for `dueAt`. */
const keyOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * - `text`     of any number of lines; empty if nothing is said
 * - `name`     one line: a person, an agent, a reference
 * - `minutes`
 * - `time`     as it was written
 */
interface IssueField {
  kind: 'text' | 'name' | 'minutes' | 'time'
  /** The option that sets it, without dashes: ours, and that of `bd`. */
  option: string
  short?: string
  /** What stands for the value in usage. */
  value: string
  help: string
}

export const ISSUE_FIELDS = {
  description: {
    kind: 'text',
    option: 'description',
    short: 'd',
    value: 'TEXT',
    help: 'the description; - reads it from stdin',
  },
  design: { kind: 'text', option: 'design', value: 'TEXT', help: 'the design: how to do it' },
  acceptanceCriteria: { kind: 'text', option: 'acceptance', value: 'TEXT', help: 'the acceptance criteria' },
  notes: { kind: 'text', option: 'notes', value: 'TEXT', help: 'notes' },
  specId: { kind: 'name', option: 'spec-id', value: 'ID', help: 'the ID of its specification' },
  assignee: { kind: 'name', option: 'assignee', short: 'a', value: 'NAME', help: 'the assignee' },
  owner: { kind: 'name', option: 'owner', value: 'NAME', help: 'the person responsible for it' },
  externalRef: { kind: 'name', option: 'external-ref', value: 'REF', help: 'the ID in another system, e.g. gh-9' },
  estimatedMinutes: {
    kind: 'minutes',
    option: 'estimate',
    short: 'e',
    value: 'MINUTES',
    help: 'the estimated time in minutes',
  },
  dueAt: {
    kind: 'time',
    option: 'due',
    value: 'TIME',
    help: "the due date: 2026-11-20, 3d (from now); on update, '' clears it",
  },
  deferUntil: { kind: 'time', option: 'defer', value: 'TIME', help: "not ready before TIME; on update, '' clears it" },
} as const satisfies Record<string, IssueField>

/** A declaration as code sees it that treats all fields alike. */
export type AnyIssueField = IssueField
export type IssueFieldName = keyof typeof ISSUE_FIELDS

interface KindValues {
  text: string
  name: string | null
  minutes: number | null
  time: string | null
}

/** As an issue has them. */
export type IssueFields = { -readonly [Name in IssueFieldName]: KindValues[(typeof ISSUE_FIELDS)[Name]['kind']] }
/** Those of a new issue; each may be left out. */
export type NewIssueFields = { [Name in keyof IssueFields]?: NonNullable<IssueFields[Name]> | undefined }
/** Those of a change. `null` clears. */
export type IssueFieldChanges = { [Name in keyof IssueFields]?: IssueFields[Name] | undefined }

export const issueFieldNames = Object.keys(ISSUE_FIELDS) as IssueFieldName[]

/** The names of the fields of these kinds. */
export const issueFieldsOf = <Kind extends IssueField['kind']>(...kinds: readonly Kind[]) =>
  issueFieldNames.filter((name) => (kinds as readonly string[]).includes(ISSUE_FIELDS[name].kind)) as FieldOf<Kind>[]

type FieldOf<Kind> = {
  [Name in IssueFieldName]: (typeof ISSUE_FIELDS)[Name]['kind'] extends Kind ? Name : never
}[IssueFieldName]

/** Fields with their keys in the issue file. */
export const issueFieldKeys: readonly (readonly [key: string, name: IssueFieldName])[] = issueFieldNames.map((name) => [
  keyOf(name),
  name,
])

/** What nobody set. */
export const UNSET_ISSUE_FIELDS: Readonly<IssueFields> = Object.freeze(
  Object.fromEntries(issueFieldNames.map((name) => [name, ISSUE_FIELDS[name].kind === 'text' ? '' : null])),
) as never
