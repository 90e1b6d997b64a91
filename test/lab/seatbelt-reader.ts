/** Reads a profile of `sandbox-exec` as macOS does, as far as its rules for paths go. No part of macOS is here. */

type Form = string | Form[]

/** The forms of a profile. @throws Error  a string or a parenthesis has no end, or something stands outside of both */
export function readProfile(text: string): Form[] {
  const whole: Form[] = []
  const open: Form[][] = [whole]
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const [token] = /^(?:\s+|[()]|"(?:[^"\\]|\\["\\])*"|[^\s()"]+)/.exec(rest) ?? []
    if (token === undefined) throw new Error(`What is this: ${rest.slice(0, 40)}`)
    at += token.length
    const inner = open.at(-1)
    if (inner === undefined) throw new Error(`There is one ")" too many before: ${rest.slice(0, 40)}`)
    if (token === '(') {
      const form: Form[] = []
      inner.push(form)
      open.push(form)
    } else if (token === ')') open.pop()
    else if (token.startsWith('"')) inner.push(token.slice(1, -1).replace(/\\(["\\])/g, '$1'))
    else if (token.trim() !== '') inner.push(token)
  }
  if (open.length !== 1) throw new Error('A parenthesis has no end.')
  if (whole.some((form) => typeof form === 'string')) throw new Error('Something stands outside of parentheses.')
  return whole
}

/** Whether a profile allows an operation on a path: the last rule that fits decides. */
export function may(profile: string, operation: string, path: string): boolean {
  let answer = false
  for (const form of readProfile(profile)) {
    const [verdict, ...words] = form
    if (verdict !== 'allow' && verdict !== 'deny') continue
    const operations = words.filter((word) => typeof word === 'string')
    const filters = words.filter((word) => typeof word !== 'string')
    const isOfIt = operations.some(
      (name) =>
        name === 'default' || name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1))),
    )
    if (isOfIt && (filters.length === 0 || filters.some((filter) => fits(filter, path)))) answer = verdict === 'allow'
  }
  return answer
}

function fits([kind, value]: Form[], path: string): boolean {
  if (typeof value !== 'string') return false
  if (kind === 'literal') return path === value
  return kind === 'subpath' && (value === '/' || path === value || path.startsWith(`${value}/`))
}
