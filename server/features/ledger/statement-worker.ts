import { servePaper } from '../../platform/paper-thread.ts';
import { statementPdf } from './statement.pdf.ts';

servePaper((task: Parameters<typeof statementPdf>) => statementPdf(...task));
