import { expect, test } from 'bun:test'
import { parseSearch } from '../../../lib/search'
import { applyFilter, BUILT_IN_FILTERS, isApplied, readFilters } from './issue-filters'
import { parseIssuesSearch } from './issue-search'

const at = (search: string) => parseIssuesSearch(parseSearch(search))

test('a filter without a project keeps the one that is looked at', () => {
  const applied = applyFilter({ name: 'bugs', search: '?type=bug' }, at('?project=%2Fa&status=open'))
  expect(applied).toMatchObject({ project: '/a', type: ['bug'], status: [] })
  expect(applyFilter({ name: 'b', search: '?project=%2Fb' }, at('?project=%2Fa')).project).toBe('/b')
})

test('the filter that is shown is known as such', () => {
  const filter = { name: 'bugs', search: '?type=bug' }
  expect(isApplied(filter, at('?project=%2Fa&type=bug'))).toBe(true)
  expect(isApplied(filter, at('?type=bug&blocked=1'))).toBe(false)
})

test('those that come with the page mean what they say', () => {
  for (const { search } of BUILT_IN_FILTERS) expect(at(search)).not.toEqual(at(''))
})

test('what a browser kept of another kind is left out', () => {
  expect(readFilters(null)).toEqual([])
  expect(readFilters('{')).toEqual([])
  expect(readFilters('{"name":"x"}')).toEqual([])
  const good = { name: 'mine', search: '?type=bug' }
  expect(readFilters(JSON.stringify([good, { name: '' }, 3, { name: 'x'.repeat(99), search: '' }]))).toEqual([good])
})
