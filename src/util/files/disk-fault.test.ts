import { expect, test } from 'bun:test'
import { diskFault } from './disk-fault'

test('a full disk, a quota and a disk that is read only are told from other errors', () => {
  const faults = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'toString', undefined]
  expect(faults.map((code) => diskFault({ code }))).toEqual([
    'storage_full',
    'storage_full',
    'storage_full',
    'storage_readonly',
    'storage_readonly',
    'storage_readonly',
    undefined,
    undefined,
    undefined,
  ])
})
