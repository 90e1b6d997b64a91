import type { HookParse } from '../../../domain/harness/harness'
import { plainHook } from '../../json-lines/plain-hook'

/** One call of our extension in Pi, for the record. */
export const recordHook = (payload: unknown): HookParse | null => plainHook(payload, KNOWN)

/** What the extension tells (`../extension/of-person.ts`), and our own hook (`cli/hooks/origin-line.ts`). */
const KNOWN: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit', 'SessionOrigin'])
