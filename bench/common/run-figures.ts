import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Figure, FigureResult } from './figure'
import { buildLode } from './lode'
import { describeMachine } from './machine'
import { round } from './measure'

/**
 * Measures figures and prints one JSON document on standard output, and what goes on to standard error.
 *
 * Options of the command line: `--only NAME[,NAME…]`; `--lode FILE`, an executable that is compiled already, else one is compiled
 * from the source as it stands; `--before FILE`, an executable of a former commit that `search` measures too; `--kept FOLDER`, where
 * `pages` and `search` leave their filled database for the next run. Exit code 1 when a figure missed a target, 2 for an unknown name.
 */
export async function runFigures(figures: Figure[]): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      only: { type: 'string' },
      lode: { type: 'string' },
      kept: { type: 'string' },
      before: { type: 'string' },
    },
  })
  const wanted = chosen(figures, values.only)
  // Short, so that paths of sockets below it stay within the system's limit.
  const folder = mkdtempSync('/tmp/ldb-')
  try {
    const lode = values.lode === undefined ? join(folder, 'lode') : resolve(values.lode)
    if (values.lode === undefined) {
      note('compiling')
      await buildLode(lode)
    }
    const machine = describeMachine(folder)
    const results: FigureResult[] = []
    for (const figure of wanted)
      results.push(await measure(figure, { lode, folder, kept: pathOf(values.kept), before: pathOf(values.before) }))
    process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), machine, figures: results }, null, 2)}\n`)
    process.exitCode = results.some((result) => result.ok === false) ? 1 : 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const pathOf = (given: string | undefined): string | undefined => given && resolve(given)

const note = (text: string): boolean => process.stderr.write(`${text}\n`)

async function measure(
  figure: Figure,
  { lode, folder, kept, before }: Pick<Bench, 'lode' | 'folder' | 'kept' | 'before'>,
): Promise<FigureResult> {
  const { name, target } = figure
  note(`${name}: ${target}`)
  const own = join(folder, name)
  mkdirSync(own)
  const startedAt = performance.now()
  try {
    const measured = await figure.measure({ lode, folder: own, kept, before, note: (text) => note(`  ${text}`) })
    const seconds = round((performance.now() - startedAt) / 1_000)
    note(`  ${measured.ok === null ? 'done' : measured.ok ? 'reached' : 'missed'} after ${seconds} s`)
    return { name, target, ...measured, seconds }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

function chosen(figures: Figure[], only: string | undefined): Figure[] {
  if (only === undefined) return figures
  const names = only.split(',')
  const unknown = names.find((name) => !figures.some((figure) => figure.name === name))
  if (unknown !== undefined) {
    process.stderr.write(`No figure ${unknown}. Figures: ${figures.map((figure) => figure.name).join(', ')}\n`)
    process.exit(2)
  }
  return figures.filter((figure) => names.includes(figure.name))
}
