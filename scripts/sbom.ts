/**
 * Writes which packages Lodeline is made of, as CycloneDX: `bun scripts/sbom.ts [OUTFILE]`, `dist/lode.cdx.json` by default.
 *
 * Packages for development are among them, since the dashboard's are bundled into the executable. `npm sbom` marks them. Programs for single
 * systems (`optional`) are not: the lockfile has not all of each, and `npm sbom` refuses such a tree.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')
const outfile = resolve(process.argv[2] ?? join(root, 'dist/lode.cdx.json'))

const npm = Bun.spawn(
  ['npm', 'sbom', '--package-lock-only', '--omit=optional', '--sbom-format=cyclonedx', '--sbom-type=application'],
  {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  },
)
const [text, problem, code] = await Promise.all([npm.stdout.text(), npm.stderr.text(), npm.exited])
if (code === 0) {
  await mkdir(dirname(outfile), { recursive: true })
  await writeFile(outfile, text)
  process.stderr.write(`wrote ${outfile}\n`)
} else {
  process.stderr.write(problem)
  process.exitCode = 1
}
