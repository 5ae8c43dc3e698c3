declare module 'virtual:routes' {
  const table: import('./build/routes.ts').CallTable;
  export default table;
}
