/** A tracker that bd keeps in a database, as a person uses it by `lode`: without a server and with one, on the page's way and the agents'. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { initBeads, StandInBd } from '../issues/stand-in-bd'
import { emptyRepository } from '../lab/empty-repository'
import { Lab } from '../lab/lab'

for (const place of ['without a server', 'with a server'] as const)
  test(`${place}, bd is run from the moment on at which a person names the project`, async () => {
    await using lab = new Lab()
    const { root } = lab
    const dir = join(root, 'project')
    emptyRepository(dir)
    initBeads(dir, [{ id: 'demo-k3f9', title: 'Cache', status: 'open', priority: 1, issue_type: 'task' }])
    const bd = new StandInBd(join(root, 'bin'))
    const lodeline = lab.addLode('home', { path: [bd.folder] })
    const lode = (...words: string[]) => lodeline.lode(...words, '-C', dir, '--actor', 'me')

    const refused = await lode('issue', 'create', 'Too early')
    expect([refused.exitCode === 0, refused.stderr]).toEqual([false, expect.stringContaining('issues.bd')])
    expect(bd.runs()).toEqual([])

    expect((await lodeline.lode('config', 'set', 'issues.bd', dir)).stderr).toBe('')
    if (place === 'with a server') await lodeline.up()
    const made = await lode('issue', 'create', 'Use <it>', '-p', '0', '--json')
    expect(made.stderr).toBe('')
    const { issue } = JSON.parse(made.stdout) as { issue: { id: string; title: string } }
    expect(issue).toMatchObject({ id: 'demo-n2', title: 'Use <it>' })
    const closed = await lode('issue', 'close', 'demo-k3f9', '--reason', 'done')
    expect([closed.exitCode, closed.stderr]).toEqual([0, ''])
    const list = JSON.parse((await lode('issue', 'list', '--all', '--json')).stdout) as { issues: { id: string }[] }
    expect(list.issues.map(({ id }) => id).sort()).toEqual(['demo-k3f9', 'demo-n2'])
    if (place === 'with a server') {
      const answer = await lodeline.client.issues.list({ dir, all: true })
      expect(JSON.stringify(answer)).toContain('"closeReason":"done"')
    }
    expect(bd.runs().filter(({ argv }) => argv[0] === 'close')).toMatchObject([{ cwd: dir }])
    expect(existsSync(join(dir, '.lodeline'))).toBe(false)
  })
