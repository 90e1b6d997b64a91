/**
 * The generated reference: the pages below `docs/reference` but `json.md`, written from what the program itself declares.
 * `bun scripts/reference.ts` writes them; `test/docs/reference.test.ts` fails when they are behind.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ERROR_TABLE } from '../src/api/contract/error-codes'
import { allOperations } from '../src/api/contract/operations'
import { openApiDocument } from '../src/api/server/openapi'
import { COMMANDS } from '../src/cli/command-table'
import type { CommandTree } from '../src/cli/kit/command'
import { EXIT, EXIT_MEANINGS } from '../src/cli/kit/exit-codes'
import { commandHelp } from '../src/cli/kit/help'
import { CONFIG_KEYS, specOf } from '../src/config/keys'
import { isNamed } from '../src/domain/access/access'
import { CALLER_KINDS } from '../src/domain/access/caller-kind'
import { accessParts } from './access-page'

const ROOT = resolve(import.meta.dir, '..')
const NOTE = '<!-- Written by `npm run reference`. Do not edit. -->'

type Json = Record<string, unknown>

/** Every page by its path from the repository's root. */
export async function referencePages(): Promise<Map<string, string>> {
  return new Map([
    ['docs/reference/README.md', index()],
    ['docs/reference/cli.md', await commandLine()],
    ['docs/reference/http.md', http()],
    ['docs/reference/access.md', page('Access', ...accessParts())],
    ['docs/reference/settings.md', settings()],
    ['docs/reference/exit-codes.md', exitCodes()],
  ])
}

const page = (title: string, ...parts: string[]) => `${[`# ${title}`, NOTE, ...parts].join('\n\n')}\n`

function index(): string {
  return page(
    'Reference',
    [
      '- [Command line](cli.md): every command with its options and examples',
      '- [JSON](json.md): what commands print with `--json`',
      '- [HTTP](http.md): every operation of the API, its fields and its answer',
      '- [Access](access.md): who may call which operation, and on what',
      '- [Settings](settings.md): every setting with its default',
      '- [Exit codes](exit-codes.md): every error with its exit code and HTTP status, and the outcomes of tasks',
    ].join('\n'),
  )
}

async function commandLine(): Promise<string> {
  const parts = [
    'Every command takes `--home DIR`, `--server URL`, `--quiet`, `--no-color` and `--help`; nearly all take `--json`.',
  ]
  for (const [path, help] of await commandHelps(COMMANDS, 'lode'))
    parts.push(`## ${path}`, `\`\`\`text\n${withoutGlobals(help)}\n\`\`\``)
  return page('Command line', ...parts)
}

/** What every command takes stands at the top of the page. */
const withoutGlobals = (help: string) =>
  help
    .trim()
    .split('\n\n')
    .filter((part) => !part.startsWith('Global options:'))
    .join('\n\n')

async function commandHelps(tree: CommandTree, above: string): Promise<[string, string][]> {
  const found: [string, string][] = []
  for (const [name, entry] of Object.entries(tree)) {
    const path = `${above} ${name}`
    if (typeof entry === 'function') found.push([path, commandHelp(path, (await entry()).command, 0)])
    else found.push(...(await commandHelps(entry.verbs, path)))
  }
  return found
}

function settings(): string {
  const rows = CONFIG_KEYS.toSorted().map((key) => {
    const { help, fallback, isLive, isProjectSafe } = specOf(key)
    // Absolute, or it would be resolved against the folder of this repository.
    const given = JSON.stringify(fallback({ env: { HOME: '/~' }, folder: '/~' })) ?? 'null'
    const value = given.replaceAll('"/~', '"~')
    return `| \`${key}\` | ${cell(help)} | \`${cell(value)}\` | ${isLive ? 'yes' : ''} | ${isProjectSafe ? 'yes' : ''} |`
  })
  return page(
    'Settings',
    [
      '*Live*: a running server or worker applies a new value by itself. *Project*: the `.lodeline/config.yaml` of a repository may set it.',
      'The [guide](../guide/settings.md) shows how to change settings.',
    ].join('\n'),
    ['| setting | meaning | default | live | project |', '| --- | --- | --- | --- | --- |', ...rows].join('\n'),
  )
}

function exitCodes(): string {
  const errors = Object.entries(ERROR_TABLE).map(
    ([code, { exitCode, status, meaning }]) =>
      [exitCode, `| ${exitCode} | \`${code}\` | ${status} | ${meaning} |`] as const,
  )
  const others = Object.entries(EXIT).map(
    ([name, code]) => [code, `| ${code} |  |  | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`] as const,
  )
  const rows = [...errors, ...others].sort(([a], [b]) => a - b).map(([, row]) => row)
  return page(
    'Exit codes',
    "An error has a code. A command ends with the code's exit code, the API answers with its HTTP status.",
    ['| exit code | error | HTTP status | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  )
}

function http(): string {
  const document = openApiDocument('0')
  const paths = document.paths as Record<string, Record<string, Json>>
  const nouns = Map.groupBy(allOperations, ({ name }) => name.split('.')[0] ?? '')
  const parts = [
    [
      'The server listens at `http://127.0.0.1:4655`; `listen.host` and `listen.port` change that. A request carries its token as',
      '`Authorization: Bearer TOKEN`. `GET /api/openapi.json` is this page for programs. An error is',
      '`{"error": {"code", "message", "hint"?, "details"?}}`. Lists have pages: `cursor` takes `nextCursor` of the answer before.',
    ].join('\n'),
  ]
  for (const [noun, operations] of nouns) {
    if (operations.some(({ name }) => name !== noun)) parts.push(`## ${noun}`)
    for (const { name, method, path, access } of operations) {
      const described = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {}
      const callers = access === 'public' ? 'no token' : CALLER_KINDS.filter((kind) => isNamed(access, kind)).join(', ')
      parts.push(
        `${name === noun ? '##' : '###'} ${name}`,
        `\`${method} ${path}\` — ${callers}`,
        `${described.summary}.`,
      )
      const fields = fieldRows(described)
      if (fields.length > 0) parts.push(['| field | in | type |', '| --- | --- | --- |', ...fields].join('\n'))
      parts.push(answerLine(described))
    }
  }
  const schemas = (document.components as { schemas: Record<string, Json> }).schemas
  parts.push('## Answers')
  for (const name of Object.keys(schemas).sort()) {
    const properties = Object.entries((schemas[name]?.properties ?? {}) as Record<string, Json>)
    parts.push(`### Answer ${name}`)
    const rows = properties.map(([field, schema]) => `| \`${field}\` | ${cell(typeOf(schema))} |`)
    parts.push(
      rows.length > 0
        ? ['| field | type |', '| --- | --- |', ...rows].join('\n')
        : `One of: ${typeOf(schemas[name] ?? {})}`,
    )
  }
  return page('HTTP', ...parts)
}

function fieldRows(described: Json): string[] {
  const parameters = (described.parameters ?? []) as { name: string; in: string; required: boolean; schema: Json }[]
  const content = (described.requestBody as { content?: Record<string, { schema: Json }> } | undefined)?.content ?? {}
  const body = content['application/json']?.schema ?? {}
  const required = new Set((body.required ?? []) as string[])
  const inBody = Object.entries((body.properties ?? {}) as Record<string, Json>).map(([name, schema]) => ({
    name,
    in: 'body',
    required: required.has(name),
    schema,
  }))
  const bytes = 'application/octet-stream' in content ? ['|  | body | bytes |'] : []
  return [
    ...[...parameters, ...inBody].map(
      (one) => `| \`${one.name}\`${one.required ? '' : ' (optional)'} | ${one.in} | ${cell(typeOf(one.schema))} |`,
    ),
    ...bytes,
  ]
}

function answerLine(described: Json): string {
  const responses = described.responses as Record<string, { content?: Record<string, { schema: Json }> }>
  if (responses['204']) return 'Answers with nothing.'
  if (responses['405']) return 'Is refused.'
  const content = responses['200']?.content ?? {}
  const forms = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema) : `\`${type}\``,
  )
  return `Answers with ${forms.join(' or ')}.`
}

/** A schema in a few words: its type, its choices, its bounds. */
function typeOf(schema: Json): string {
  const { $ref, type, anyOf, oneOf, items, minimum, maximum, minLength, maxLength, maxItems } = schema
  const choices = schema.enum as unknown[] | undefined
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? ''
    return `[${name}](#answer-${name.toLowerCase()})`
  }
  const several = (anyOf ?? oneOf) as Json[] | undefined
  if (several !== undefined) return several.map(typeOf).join(' or ')
  if (choices !== undefined) return choices.map((one) => `\`${String(one)}\``).join(', ')
  if ('const' in schema) return `\`${String(schema.const)}\``
  if (type === 'array')
    return `list of ${typeOf((items ?? {}) as Json)}${typeof maxItems === 'number' ? `; at most ${maxItems} entries` : ''}`
  if (type === 'string') return `text${bounds(minLength, maxLength, ' characters')}`
  if (type === 'integer' || type === 'number')
    return `${type === 'integer' ? 'whole number' : 'number'}${bounds(minimum, maximum, '')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'null') return 'null'
  if (type === 'object') {
    const fields = Object.keys((schema.properties ?? {}) as Json)
    return fields.length > 0 ? `object with ${fields.map((field) => `\`${field}\``).join(', ')}` : 'object'
  }
  return 'anything'
}

/** What a schema says of its own accord is no bound: a whole number of JavaScript. */
const isBound = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

function bounds(least: unknown, most: unknown, unit: string): string {
  const from = isBound(least) && !(unit !== '' && least <= 1) ? least : undefined
  if (from !== undefined && isBound(most)) return ` from ${from} to ${most}${unit}`
  if (isBound(most)) return `, at most ${most}${unit}`
  return from === undefined ? '' : `, at least ${from}${unit}`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

if (import.meta.main)
  for (const [path, text] of await referencePages()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
  }
