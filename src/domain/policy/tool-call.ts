/** What a tool call is about: the one field of its input that decides, for the tools of agent CLIs that we know. */

/** Tools that change files, and tools that read them, with the field that names the file or folder. */
const WRITERS: Readonly<Record<string, string>> = {
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
}
const READERS: Readonly<Record<string, string>> = { Read: 'file_path', Glob: 'path', Grep: 'path', LS: 'path' }

/** Other tools. One that is in no table has no such field: a pattern says nothing of what it does. */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Monitor: 'command',
  WebFetch: 'url',
  WebSearch: 'query',
  Skill: 'skill',
  Agent: 'subagent_type',
  Task: 'subagent_type',
}

/** Names of calls that change or read several files at once: a rule that allows looks at one path, so of such a call a person decides. */
export const SEVERAL_FILES = { changed: 'ApplyPatch', read: 'ReadFiles' } as const

/** Tools that change files. */
export const WRITER_TOOLS: readonly string[] = Object.keys(WRITERS)

/** Every tool that we know, for rules that name several. */
export const KNOWN_TOOLS: readonly string[] = [WRITERS, READERS, SUBJECTS].flatMap((table) => Object.keys(table))

export const isWriter = (toolName: string): boolean => Object.hasOwn(WRITERS, toolName)
export const isFileTool = (toolName: string): boolean => isWriter(toolName) || Object.hasOwn(READERS, toolName)

/** The field's text; `null` = the tool has none, or the call leaves it out. */
export function subjectOf(toolName: string, input: unknown): string | null {
  const tables = [WRITERS, READERS, SUBJECTS]
  const field = tables.find((table) => Object.hasOwn(table, toolName))?.[toolName]
  return field === undefined ? null : textAt(input, field)
}

/** All texts of an input's fields, for rules that refuse: of a tool that we do not know, any may be the one. */
export function textsOf(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  return Object.values(input).filter((value) => typeof value === 'string')
}

function textAt(input: unknown, field: string): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) return null
  const value: unknown = (input as Record<string, unknown>)[field]
  return typeof value === 'string' ? value : null
}
