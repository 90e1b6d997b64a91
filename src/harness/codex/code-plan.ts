import { recordOf } from '../json-lines/json-value'
import type { Call } from './tools'

/** The tool with which models of today call others: its input is JavaScript, such as `await tools.update_plan({plan: […]})`. */
const CODE_TOOL = 'exec'
const CALL = /\btools\.update_plan\s*\(\s*(?=\{)/g

/** Characters of code that are looked through, and calls in it. */
const CODE_LENGTH = 100_000
const CALL_LIMIT = 20

/**
 * The input of the last `update_plan` that a call's code makes, where it stands there in full. `undefined` = the code makes none, or puts it
 * together: no line of the file tells such a plan.
 */
export function planInCode({ name, input }: Call): unknown {
  if (name !== CODE_TOOL || typeof input !== 'string' || !input.includes('update_plan')) return undefined
  const code = input.slice(0, CODE_LENGTH)
  let plan: unknown
  for (const { index, 0: opening } of [...code.matchAll(CALL)].slice(-CALL_LIMIT)) {
    const literal = literalAt(code, index + opening.length)
    plan = literal === undefined ? plan : (readLiteral(literal) ?? plan)
  }
  return plan
}

function readLiteral(literal: string): unknown {
  try {
    return recordOf(Bun.JSON5.parse(literal))
  } catch {
    return undefined
  }
}

/** A text, a comment, a bracket: what decides where a literal ends. What is not closed goes to the end, so that it is read once. */
const TOKEN = new RegExp(
  [
    ...['"', "'", '`'].map((quote) => String.raw`${quote}(?:[^${quote}\\]|\\[\s\S]?)*(?:${quote}|$)`),
    String.raw`\/\/[^\n]*`,
    String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
    String.raw`[{}[\]]`,
  ].join('|'),
  'g',
)

/** The literal that begins here, as JSON5, which has no texts between backticks. */
function literalAt(code: string, start: number): string | undefined {
  let depth = 0
  let text = ''
  let done = start
  TOKEN.lastIndex = start
  for (let found = TOKEN.exec(code); found !== null; found = TOKEN.exec(code)) {
    const [token] = found
    text += code.slice(done, found.index)
    done = TOKEN.lastIndex
    if (!token.startsWith('`')) text += token
    else if (token.includes('${')) return undefined
    else text += JSON.stringify(token.slice(1, -1).replace(/\\`/g, '`'))
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (depth === 0) return text
  }
  return undefined
}
