import { expect, test } from 'bun:test'
import type { SavedView } from '../../../src/domain/view/saved-view'
import { onEachDatabase } from '../databases'

const VIEW: SavedView = { owner: 'anna', list: 'tasks', name: 'Failed', search: '?status=failed', isShared: false }

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
})
