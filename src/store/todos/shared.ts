/** Text, since hooks ask it too. */

/** Lists of the session, and lists that it shares with others: two parameters, its native id twice. */
export const LISTS_OF = `select l.id from todo_lists l join sessions o on o.id = l.session_id where o.native_id = ?
  union select other.id from todo_lists own join sessions o on o.id = own.session_id
    join todo_lists other on other.native_list = own.native_list where o.native_id = ?`
