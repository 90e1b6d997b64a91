/** A piece of SQL. Words are in lower case, but for names in quotes. */
export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'number'; text: string }
  | { kind: 'sign'; text: string }

/** Characters of SQL that are read, and pieces of it: a list of to-dos needs a few thousand. */
const SQL_LIMIT = 200_000
const TOKEN_LIMIT = 50_000

const PIECE =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|([A-Za-z_]\w*)|(\d[\w.]*)|([^\s\w])/y

/** The statements of a text, each as its pieces. `undefined` = it can't be read to its end. */
export function statementsOf(sql: string): Token[][] | undefined {
  if (sql.length > SQL_LIMIT) return undefined
  const statements: Token[][] = [[]]
  let count = 0
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < sql.length) {
    const found = PIECE.exec(sql)
    if (found === null || ++count > TOKEN_LIMIT) return undefined
    const token = tokenOf(found)
    if (token === undefined) continue
    if (token.kind === 'sign' && token.text === ';') statements.push([])
    else statements.at(-1)?.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}

function tokenOf([, text, quoted, ticked, bracketed, word, number, sign]: RegExpExecArray): Token | undefined {
  if (text !== undefined) return { kind: 'text', text: text.replaceAll("''", "'") }
  const name = quoted ?? ticked ?? bracketed
  if (name !== undefined) return { kind: 'word', text: name.replaceAll('""', '"') }
  if (word !== undefined) return { kind: 'word', text: word.toLowerCase() }
  if (number !== undefined) return { kind: 'number', text: number }
  return sign === undefined ? undefined : { kind: 'sign', text: sign }
}

/** Reads the pieces of a statement one after another. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length
  }

  /** Takes these words or signs when they come next. */
  take(...texts: string[]): boolean {
    const isNext = texts.every((text, n) => {
      const token = this.#tokens[this.#at + n]
      return token !== undefined && (token.kind === 'word' || token.kind === 'sign') && token.text === text
    })
    if (isNext) this.#at += texts.length
    return isNext
  }

  /** Takes a name. */
  name(): string | undefined {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word') return undefined
    this.#at++
    return token.text
  }

  /**
   * Takes an expression up to the next `,`, `)` or one of `ends` outside of brackets. It gives the text of a literal, and `null` for what
   * only the database can work out.
   */
  value(...ends: string[]): string | null {
    const begin = this.#at
    let depth = 0
    for (; !this.isAtEnd; this.#at++) {
      const token = this.#tokens[this.#at]
      if (token === undefined || token.kind === 'text' || token.kind === 'number') continue
      if (depth === 0 && (token.text === ',' || token.text === ')' || ends.includes(token.text))) break
      if (token.kind === 'sign' && token.text === '(') depth++
      if (token.kind === 'sign' && token.text === ')') depth--
    }
    const only = this.#tokens[begin]
    return this.#at === begin + 1 && (only?.kind === 'text' || only?.kind === 'number') ? only.text : null
  }
}
