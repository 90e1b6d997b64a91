import { expect, test } from 'bun:test'
import { placeOfId } from './place-of-id'

test('an id leads to the page of what it names', () => {
  expect(placeOfId(' t-7f3k9q2m ')).toBe('/tasks/t-7f3k9q2m')
  expect(placeOfId('3B15A45D')).toBe('/sessions/3b15a45d')
  expect(placeOfId('3b15a45d-1f2e-4c3b-9a8d-7e6f5a4b3c2d')).toBe('/sessions/3b15a45d-1f2e-4c3b-9a8d-7e6f5a4b3c2d')
  expect(placeOfId('i-7f3k9q2m')).toBe('/?request=i-7f3k9q2m')
  expect(placeOfId('a-7f3k9q2m')).toBe('/tasks?agent=a-7f3k9q2m')
  expect(placeOfId('shop-a1b2')).toBe('/issues/shop-a1b2')
  expect(placeOfId('my-app-x9k.2')).toBe('/issues/my-app-x9k.2')
})

test('words are no ids, and nothing leads out of the dashboard', () => {
  for (const text of ['', 'home', 'fix the login', '../../etc', 'https://example.com/', '//evil', 't-'])
    expect(placeOfId(text)).toBeNull()
})
