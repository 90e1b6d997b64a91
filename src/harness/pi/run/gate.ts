import { fileURLToPath } from 'node:url'
import { isFileTool } from '../../../domain/policy/tool-call'
import { isRecord } from '../../json-lines/json-value'
import type { GateCall } from '../../tool-gate/gate'

/** The names that rules have for the CLI's own tools, and the field that rules look at. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['powershell', 'Bash'],
  ['read', 'Read'],
  ['edit', 'Edit'],
  ['write', 'Write'],
  ['grep', 'Grep'],
  ['find', 'Glob'],
  ['ls', 'LS'],
])
/** The field in which rules look for a file, where it is another one than the CLI's. */
const WITH_FILE: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write'])

/** What rules look at is what the CLI will use: a field of that name which the model adds counts for nothing. */
export function gateCall(name: string, given: unknown): GateCall {
  const toolName = NAMES.get(name) ?? name
  const input = isRecord(given) ? given : {}
  if (!isFileTool(toolName)) return { toolName, input }
  const { path, file_path: _, ...rest } = input
  const file = typeof path === 'string' ? meantPath(path) : path
  if (WITH_FILE.has(toolName)) return { toolName, input: { ...rest, file_path: file } }
  return { toolName, input: file === undefined ? rest : { ...rest, path: file } }
}

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g

/**
 * A path as the CLI understands it (0.87): `@notes.md` is `notes.md`, as models repeat what a person wrote; `file:///notes.md` is a path;
 * a space of any width is a space.
 */
function meantPath(path: string): string {
  const plain = path.replace(UNICODE_SPACES, ' ').replace(/^@/, '')
  if (!plain.startsWith('file://')) return plain
  try {
    return fileURLToPath(plain)
  } catch {
    // The CLI can't read it either.
    return plain
  }
}
