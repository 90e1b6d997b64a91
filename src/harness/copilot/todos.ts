import { KEPT } from '../../domain/record/kept-text'
import type { Observation, TodoChange } from '../../domain/record/observation'
import { recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { type Place, sourceOf } from './place'
import { statementsOf, type Token } from './sql-tokens'
import { changed, idOf, isLook, isWholeLook, statusOf, stepsOf, type TodoStep } from './todo-statements'

/** Changes that one call may make. */
const STEP_LIMIT = 1_000

/**
 * The agent keeps its to-dos in a database of the session, which it changes by SQL. The answer of the tool repeats the SQL, and says how
 * far it went; the database itself is no file that only grows, and has no times.
 */
export function readTodos(place: Place, toolUseId: string): Observation[] {
  const query = queryOf(place)
  if (query === undefined || !/\btodo/i.test(query)) return []
  const statements = statementsOf(query)
  if (statements === undefined) return []
  const done = statements.slice(0, doneCount(place, statements.length))
  const [only] = done
  const steps =
    statements.length === 1 && only !== undefined && isLook(only) ? shown(only, resultOf(place)) : done.flatMap(stepsOf)
  return steps
    .filter((step) => step.length > 0)
    .slice(0, STEP_LIMIT)
    .flatMap((step, n) =>
      step.map((change) => ({ kind: 'todo', ...sourceOf(place), toolUseId: stepId(toolUseId, n), change }) as const),
    )
}

/** A change is known by its call: the second and later ones of a call get ids of their own, which sort behind it. */
const stepId = (toolUseId: string, n: number): string =>
  n === 0 ? toolUseId : `${toolUseId}:${String(n).padStart(4, '0')}`

const OPENING = 'SQL: '

function queryOf({ data }: Place): string | undefined {
  const told = textOf(recordOf(recordOf(data.toolTelemetry)?.restrictedProperties)?.query)
  if (told !== undefined) return told
  const detailed = textOf(recordOf(data.result)?.detailedContent)
  const end = detailed?.lastIndexOf(`\n\n${resultText(data.result)}`) ?? -1
  return detailed?.startsWith(OPENING) === true && end > 0 ? detailed.slice(OPENING.length, end) : undefined
}

const resultText = (result: unknown): string => textOf(recordOf(result)?.content) ?? ''
const resultOf = ({ data }: Place): string => resultText(data.result)

/** A batch stops at its first error; what came before it stays. */
function doneCount({ data }: Place, all: number): number {
  if (data.success === true) return all
  const message = textOf(recordOf(data.error)?.message) ?? ''
  return Number(/^Completed (\d{1,6}) statement/m.exec(message.slice(0, 10_000))?.[1] ?? 0)
}

/** Rows as the tool shows them: `| id | title |`, `| --- | --- |`, `| a | Read |`. */
function shown(look: readonly Token[], text: string): TodoStep[] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  const [head = '', , ...body] = lines
  const columns = cellsOf(head)
  const rows = body.slice(0, STEP_LIMIT).map(cellsOf)
  if (!columns.includes('id') || rows.some(({ length }) => length !== columns.length)) return []
  const items = rows.flatMap((row) => {
    const cell = (name: string) => row[columns.indexOf(name)]
    const nativeId = idOf(cell('id'))
    const title = cell('title')
    const status = cell('status')
    return nativeId === undefined ? [] : [{ nativeId, title, status }]
  })
  const isWhole =
    isWholeLook(look) && body.length <= STEP_LIMIT && columns.includes('title') && columns.includes('status')
  return isWhole
    ? [[listOf(items)]]
    : items.map(({ nativeId, title, status }) => changed(nativeId, fieldsOf(title, status)))
}

const cellsOf = (line: string): string[] =>
  line
    .slice(2, line.lastIndexOf(' |'))
    .split(' | ')
    .map((cell) => cell.trim())

const listOf = (items: { nativeId: string; title: string | undefined; status: string | undefined }[]): TodoChange => ({
  op: 'list',
  items: items.map(({ nativeId, title, status }) => ({
    nativeId,
    subject: clip(title ?? nativeId, KEPT.todo),
    status: statusOf(status ?? 'pending'),
  })),
})

const fieldsOf = (title: string | undefined, status: string | undefined) => ({
  ...(title !== undefined && { subject: clip(title, KEPT.todo) }),
  ...(status !== undefined && { status: statusOf(status) }),
})
