/**
 * Measures the house: `npm run house`. Prints JSON. Nothing here fails a build; `test/import-rules.test.ts` has the rules that do.
 *
 * A "spelling" is a source file below `src` that has the name; tests, migrations and what is generated are left out.
 */
import { dirname } from 'node:path'
import { allOperations } from '../src/api/contract/operations'
import { openApiDocument } from '../src/api/server/openapi'
import { importEdges, importGroups, sourceFiles } from '../test/import-rules'

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

const having = (pattern: RegExp): number => [...files.values()].filter((source) => pattern.test(source)).length

/**
 * What a new name of an operation would change: a member that is declared or used, the end of a path, and the command line.
 * Words of other programs are none of it: `'mvn deploy'` is a command that a policy denies, `git checkout --detach` one of git.
 */
const nameOf = (operation: string): RegExp =>
  new RegExp(`\\.${operation}\\b|^ +${operation}(\\(|: )|/${operation}'|\\blode [a-z]+ ${operation}\\b`, 'm')

const perFolder = new Map<string, number>()
for (const path of files.keys()) perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1)

const jsonOperations = allOperations.filter(({ answer }) => typeof answer === 'object')
const described = JSON.stringify(openApiDocument('0'))

console.log(
  JSON.stringify(
    {
      files: files.size,
      lines: [...files.values()].reduce((sum, source) => sum + source.split('\n').length - 1, 0),
      filesPerOperation: Object.fromEntries(OPERATIONS.map((name) => [name, having(nameOf(name))])),
      filesPerField: Object.fromEntries(FIELDS.map((name) => [name, having(new RegExp(`\\b${name}\\b`))])),
      jsonOperations: jsonOperations.length,
      answersThatAreOnlyObjects: described.split('"application/json":{"schema":{"type":"object"}}').length - 1,
      fullestFolders: Object.fromEntries(
        [...perFolder].filter(([, count]) => count > MOST_FILES).sort(([, a], [, b]) => b - a),
      ),
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
