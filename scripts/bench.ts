/** Runs one benchmark: `npm run bench -- NAME [ARG…]` runs `bench/NAME.ts`; without a name it lists them. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../bench')
const [name, ...args] = process.argv.slice(2)
const names = [...new Bun.Glob('*.ts').scanSync({ cwd: folder })].map((file) => file.slice(0, -3)).sort()

if (name === undefined || !names.includes(name) || !existsSync(`${folder}/${name}.ts`)) {
  if (name !== undefined) console.error(`No benchmark ${name}.`)
  console.error(`Usage: npm run bench -- NAME [ARG…]\nNames: ${names.join(' ') || '(none yet)'}`)
  process.exit(name === undefined ? 0 : 2)
}
const run = Bun.spawn([process.execPath, `${folder}/${name}.ts`, ...args], { stdio: ['inherit', 'inherit', 'inherit'] })
process.exitCode = await run.exited
