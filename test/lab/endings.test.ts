import { expect, test } from 'bun:test'
import { Endings } from './endings'

const failing = (message: string) => () => Promise.reject(new Error(message))

test('what began last ends first, and what ends is not ended again', async () => {
  const ended: string[] = []
  const endings = new Endings()
  for (const name of ['folder', 'database', 'server']) endings.add(name, () => ended.push(name))
  await endings.run()
  await endings.run()
  expect(ended).toEqual(['server', 'database', 'folder'])
})

test('an ending that fails keeps no other from its end, and each that failed is named', async () => {
  const ended: string[] = []
  const endings = new Endings()
  endings.add('the folder', () => ended.push('folder'))
  endings.add('the database', failing('it is in use'))
  endings.add('the browser', () => ended.push('browser'))
  endings.add('the server', failing('it ended with 1'))
  await expect(endings.run()).rejects.toThrow(
    'This did not end well:\n  - the server: it ended with 1\n  - the database: it is in use',
  )
  expect(ended).toEqual(['browser', 'folder'])
})

test('what is added while others end is ended too', async () => {
  const ended: string[] = []
  const endings = new Endings()
  endings.add('the folder', () => ended.push('folder'))
  endings.add('the server', () => endings.add('its child', () => ended.push('child')))
  await endings.run()
  expect(ended).toEqual(['child', 'folder'])
})
