import { addCall } from '../json-lines/call-words'
import type { TextBudget } from '../json-lines/text'
import type { Call } from './parts'

/** Tools whose calls ask a person for something. The CLI has none of its own. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set()

/** Fields of a tool's input that say in words what the call is about, most telling first. */
const TELLING: ReadonlySet<string> = new Set(['command', 'path', 'pattern', 'query', 'url', 'prompt', 'description'])

/** Writes a call as a person reads it. */
export const addCallWords = (budget: TextBudget, { name, input }: Call): void => addCall(budget, name, input, TELLING)
