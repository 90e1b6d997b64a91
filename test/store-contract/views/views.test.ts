import { expect, test } from 'bun:test'
import type { SavedView } from '../../../src/domain/view/saved-view'
import { onEachDatabase } from '../databases'
import { sampleHost } from '../sample'

const VIEW: SavedView = {
  owner: 'anna',
  list: 'tasks',
  name: 'Failed',
  search: '?status=failed',
  isShared: false,
  project: null,
}

onEachDatabase((database) => {
  test('a person sees their own views and what others share, and a name is one view', async () => {
    const { store } = database
    await store.write(async (tx) => {
      await tx.views.put(VIEW)
      await tx.views.put({ ...VIEW, list: 'sessions' })
      await tx.views.put({ ...VIEW, owner: 'ben', name: 'Mine' })
      await tx.views.put({ ...VIEW, owner: 'ben', name: 'For all', isShared: true })
    })
    const names = async (owner: string, list: SavedView['list'] | null) =>
      (await store.views.list(owner, list)).map((view) => `${view.owner} ${view.list} ${view.name}`)
    expect(await names('anna', 'tasks')).toEqual(['anna tasks Failed', 'ben tasks For all'])
    expect((await names('anna', null)).length).toBe(3)
    expect(await names('', 'issues')).toEqual([])
    await store.write((tx) => tx.views.put({ ...VIEW, search: '?q=again', isShared: true }))
    expect(await store.views.list('anna', 'tasks')).toContainEqual({ ...VIEW, search: '?q=again', isShared: true })
    expect(await store.write((tx) => tx.views.count('anna'))).toBe(2)
    expect(await store.write((tx) => tx.views.remove('anna', 'tasks', 'For all'))).toBe(false)
    expect(await store.write((tx) => tx.views.remove('anna', 'tasks', 'Failed'))).toBe(true)
    expect(await names('anna', 'tasks')).toEqual(['ben tasks For all'])
  })

  test('a view that is shared with a project is seen where somebody looks at it, in any clone, and by its own person', async () => {
    const { store } = database
    const OF: SavedView = { ...VIEW, owner: 'cora', list: 'issues' }
    const remote = 'git@example.org:harbour/lights.git'
    await store.write(async (tx) => {
      const host = await sampleHost(tx.record)
      await tx.record.project(host, '/a/lights', remote, 'lights')
      await tx.record.project(host, '/b/lights-again', remote, 'lights')
      await tx.record.project(host, '/a/buoys', null, 'buoys')
      await tx.views.put({ ...OF, isShared: true, project: '/a/lights' })
      await tx.views.put({ ...OF, name: 'Of a tracker', isShared: true, project: '/no/session/yet' })
      await tx.views.put({ ...OF, name: 'Kept', isShared: false })
    })
    const seen = async (owner: string, project?: string) =>
      (await store.views.list(owner, OF.list, project)).map(({ name }) => name)
    expect(await seen('dan')).toEqual([])
    for (const project of ['/a/lights', '/b/lights-again', 'lights'])
      expect(await seen('dan', project)).toEqual(['Failed'])
    for (const project of ['/a/buoys', 'buoys', '/a', '']) expect(await seen('dan', project)).toEqual([])
    expect(await seen('dan', '/no/session/yet')).toEqual(['Of a tracker'])
    expect(await seen('cora')).toEqual(['Failed', 'Kept', 'Of a tracker'])
    expect(await store.views.projectOf('lights')).toBe('/a/lights')
    expect(await store.views.projectOf('/b/lights-again')).toBe('/a/lights')
    expect(await store.views.projectOf('/no/session/yet')).toBe('/no/session/yet')
    // Saved again without one, it is everybody's.
    await store.write((tx) => tx.views.put({ ...OF, isShared: true }))
    expect(await seen('dan')).toEqual(['Failed'])
  })
})
