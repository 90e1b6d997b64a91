/**
 * Measures the house: `npm run house`. Prints JSON. Nothing here fails a build; `test/import-rules.test.ts` has the rules that do.
 *
 * A "spelling" is a source file below `src` that has the word; tests, migrations and what is generated are left out.
 */
import { dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { allOperations } from '../src/api/contract/operations'
import { openApiDocument } from '../src/api/server/openapi'
import { importEdges, importGroups, sourceFiles } from '../test/import-rules'
import { bundleWeb, type WebFile } from './web/bundle'

/** Operations whose names are words that nothing else is called. */
const OPERATIONS = ['deploy', 'reopen', 'detach']
/** A field of a task and one of an issue. */
const FIELDS = ['maxTurns', 'externalRef']
/** A folder with more loose files than this hides its subject. */
const MOST_FILES = 20

const files = new Map(
  [...(await sourceFiles())].filter(
    ([path, source]) => !path.startsWith('store/migrations/') && !source.startsWith('// Written by scripts/'),
  ),
)
const edges = importEdges(files)

const having = (word: string): string[] =>
  [...files].filter(([, source]) => new RegExp(`\\b${word}\\b`).test(source)).map(([path]) => path)

/** The script of the page with all that it imports at once, and the style, in bytes as they are sent compressed by gzip. */
function firstLoadOf(bundle: readonly WebFile[]): { script: number; style: number } {
  const contents = new Map(bundle.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))
  const page = contents.get('index.html') ?? ''
  const scripts = new Set([...page.matchAll(/src="\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path))
  for (const path of scripts)
    for (const [, name] of (contents.get(path) ?? '').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      scripts.add(`assets/${name}`)
  const sent = (path: string) => gzipSync(contents.get(path) ?? '', { level: 9 }).length
  const styles = [...contents.keys()].filter((path) => path.endsWith('.css'))
  const sum = (paths: Iterable<string>) => [...paths].reduce((total, path) => total + sent(path), 0)
  return { script: sum(scripts), style: sum(styles) }
}

const perFolder = new Map<string, number>()
for (const path of files.keys()) perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1)

const jsonOperations = allOperations.filter(({ answer }) => typeof answer === 'object')
const described = JSON.stringify(openApiDocument('0'))

console.log(
  JSON.stringify(
    {
      files: files.size,
      lines: [...files.values()].reduce((sum, source) => sum + source.split('\n').length - 1, 0),
      filesPerOperation: Object.fromEntries(OPERATIONS.map((name) => [name, having(name).length])),
      filesPerField: Object.fromEntries(FIELDS.map((name) => [name, having(name).length])),
      jsonOperations: jsonOperations.length,
      answersThatAreOnlyObjects: described.split('"application/json":{"schema":{"type":"object"}}').length - 1,
      fullestFolders: Object.fromEntries(
        [...perFolder].filter(([, count]) => count > MOST_FILES).sort(([, a], [, b]) => b - a),
      ),
      firstLoadOfDashboard: firstLoadOf(await bundleWeb(resolve(import.meta.dir, '..'))),
      circlesOfImports: importGroups(edges.filter(({ kind }) => kind !== 'lazy')).map((group) => group.length),
      filesThatKnowClaudeCode: [...files]
        .filter(([path]) => !path.startsWith('harness/claude-code/') && path !== 'harness/registry.ts')
        .filter(([, source]) => /harness\/claude-code|'claude-code'/.test(source))
        .map(([path]) => path),
    },
    null,
    2,
  ),
)
