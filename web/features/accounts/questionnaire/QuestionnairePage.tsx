import { Button } from '@mantine/core';
import { IconClipboardText } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SectionSkeleton } from '../../../ui/FormSection.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { None } from '../../../ui/Values.tsx';
import { answerWords, QUESTIONS } from './model.ts';
import { questionnaireQuery } from './queries.ts';
import classes from './questionnaire.module.css';

/** The company's own answers about its business, and the link to change them (spec product 2; not for clients). */
export default function QuestionnairePage() {
  const query = useQuery(questionnaireQuery);
  const answers = query.data;
  const edit = (words: string) => (
    <Button renderRoot={(props) => <Link {...props} to={'/user/questionnaire-add' as '/'} />}>{words}</Button>
  );
  return (
    <>
      <PageHeader
        title="Questionnaire"
        line="What you told us about your business."
        primary={answers && edit('Edit answers')}
      />
      {answers ? (
        <div className={`card ${classes.sheet}`}>
          <dl className={classes.answers}>
            {QUESTIONS.map((question) => (
              <div key={question.key}>
                <dt>{question.ask}</dt>
                <dd>{answerWords(question, answers[question.key]) || <None />}</dd>
              </div>
            ))}
          </dl>
        </div>
      ) : query.isPending ? (
        <SectionSkeleton fields={6} />
      ) : query.error ? (
        <div className={`card ${classes.sheet}`}>
          <ErrorState
            error={query.error}
            what="Your answers could not be loaded"
            onRetry={() => void query.refetch()}
          />
        </div>
      ) : (
        <div className={`card ${classes.sheet}`}>
          <EmptyState
            icon={<IconClipboardText size={32} stroke={1.4} />}
            title="Not answered yet"
            text="A few questions about your business so we can set things up for the way you work. It takes two minutes."
            action={edit('Answer the questions')}
          />
        </div>
      )}
    </>
  );
}
