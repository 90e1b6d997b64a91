import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessRun } from '../../src/domain/harness/harness-run'
import { agentProgram } from '../../src/harness/program/agent-program'
import { InstalledClis } from '../../src/worker/run/cli/installed-clis'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = (name: string, version: string): void =>
  writeFileSync(join(folder, name), `#!/bin/sh\necho asked >> ${join(folder, `${name}.asked`)}\necho ${version}\n`, {
    mode: 0o755,
  })

function run(agent: string, versionMs = 10_000): HarnessRun {
  const facts = { title: agent, program: agent, minimum: '1.0.0', release: /^(\d+\.\d+\.\d+)$/m, versionMs }
  const asked = agentProgram({ ...facts, installHint: '', updateHint: '' })
  return { agent, ...asked, runEnvironment: (base) => base } as Partial<HarnessRun> as HarnessRun
}

const find = () =>
  InstalledClis.find({
    harness: run('first'),
    others: [async () => run('second'), async () => run('third')],
    executableOf: () => null,
    env: { PATH: `${folder}:/usr/bin:/bin` },
  })

test('a CLI that goes away is told of no more, one that comes is found, and one that is too old is asked once', async () => {
  program('first', '1.0.0')
  program('third', '0.9.0')
  const clis = await find()
  await clis.all
  expect(clis.found).toEqual([{ name: 'first', version: '1.0.0' }])

  const news = { count: 0, next: Promise.withResolvers<void>() }
  const end = clis.watch(() => {
    news.count++
    news.next.resolve()
  }, 10)
  try {
    program('second', '2.0.0')
    await news.next.promise
    expect(clis.found.map(({ name }) => name)).toEqual(['first', 'second'])

    renameSync(join(folder, 'first'), join(folder, 'away'))
    clis.lost('first')
    expect(clis.found.map(({ name }) => name)).toEqual(['second'])
    news.next = Promise.withResolvers()
    renameSync(join(folder, 'away'), join(folder, 'first'))
    await news.next.promise
    expect(clis.found.map(({ name }) => name)).toEqual(['first', 'second'])
    expect(await Bun.file(join(folder, 'third.asked')).text()).toBe('asked\n')
  } finally {
    end()
  }
})

test('a CLI that did not tell its release in time, as on a busy machine, is asked again', async () => {
  const busy = join(folder, 'busy')
  writeFileSync(busy, '')
  program('first', '1.0.0')
  writeFileSync(join(folder, 'slow'), `#!/bin/sh\n[ -e ${busy} ] && exec sleep 30\necho 1.0.0\n`, { mode: 0o755 })
  const clis = await InstalledClis.find({
    harness: run('first'),
    others: [async () => run('slow', 300)],
    executableOf: () => null,
    env: { PATH: `${folder}:/usr/bin:/bin` },
  })
  await clis.all
  expect(clis.found.map(({ name }) => name)).toEqual(['first'])
  rmSync(busy)
  const news = Promise.withResolvers<void>()
  const end = clis.watch(() => news.resolve(), 10)
  await news.promise
  end()
  expect(clis.found.map(({ name }) => name)).toEqual(['first', 'slow'])
})
